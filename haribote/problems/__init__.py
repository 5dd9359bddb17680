"""The vendor's public problem set: a kernel's assembly at its addresses, test cases, and our judge's finding."""
