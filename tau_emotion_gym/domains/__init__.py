"""The domains, one folder each; nothing else in the package names one."""
