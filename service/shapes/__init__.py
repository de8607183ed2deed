"""What is sent and answered, by resource: the structs that the contract is generated from.

Every list has the same frame: `items`, and `next`, the cursor of the following page. What is sent is read strictly:
an unknown field is refused, nothing is converted.
"""
