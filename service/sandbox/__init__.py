"""The sandbox: a service to develop clients against. Its accounts, dice and time are known in advance."""
