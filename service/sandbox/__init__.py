"""The sandbox: a service to develop against, whose accounts, dice and time are known."""
