"""The endpoints of a sandbox: what it begins with, its time, and beginning anew."""
