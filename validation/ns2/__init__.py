"""Compare studies with ns-2.35, and print the pages `docs/agreement.md` and `docs/agreement_STUDY.md`."""
