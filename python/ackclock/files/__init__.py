"""Safe access to files: reading within the memory limit, atomic writing, locks, checksums and paths inside a folder."""
