"""Queue disciplines in the scenarios of RFC 7928."""
