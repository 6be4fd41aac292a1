"""The documentation site: generated references, a link checker, and the build with Zensical."""
