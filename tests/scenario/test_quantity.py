"""Quantities: exact parsing, and equal texts for equal values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.values.quantity import RATE, SIZE, TIME, NegativeError, Quantity, QuantityError, seconds


@pytest.mark.parametrize(
    ("quantity", "text", "value"),
    [
        (TIME, "200 s", 200 * 10**12),
        (TIME, "25ms", 25 * 10**9),
        (TIME, " 0.1 s ", 10**11),
        (TIME, "12 us", 12 * 10**6),
        (TIME, "1e-12 s", 1),
        (TIME, ".5 ns", 500),
        (TIME, "1.5 min", 90 * 10**12),
        (TIME, "2 h", 7200 * 10**12),
        (TIME, "0 s", 0),
        (TIME, "-0 s", 0),
        (TIME, "0.123456789012 s", 123_456_789_012),
        (RATE, "10 Mbps", 10_000_000),
        (RATE, "1.544 Mbps", 1_544_000),
        (RATE, "56kbps", 56_000),
        (RATE, "1 Gbps", 10**9),
        (SIZE, "1 MB", 10**6),
        (SIZE, "1 MiB", 2**20),
        (SIZE, "1.5 KiB", 1536),
    ],
)
def test_texts_are_read_exactly(quantity: Quantity, text: str, value: int) -> None:
    assert quantity.parse(text) == value


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (TIME, "25"),
        (TIME, ""),
        (TIME, "ms"),
        (TIME, "25 msec"),
        (TIME, "25 Ms"),
        (TIME, "nan s"),
        (TIME, "inf s"),
        (TIME, "1_000 s"),
        (TIME, "1 s 2 ms"),
        (TIME, "-25 ms"),
        (TIME, "0.5 ps"),
        (TIME, "٢٥ ms"),
        (TIME, "1e999999999 s"),
        (TIME, "9" * 100_000 + " s"),
        (RATE, "10 mbps"),
        (RATE, "10 MB"),
        (RATE, "0.5 bps"),
        (SIZE, "1 Mb"),
    ],
)
def test_what_is_no_quantity_is_refused(quantity: Quantity, text: str) -> None:
    with pytest.raises(QuantityError, match=r"^must be"):
        quantity.parse(text)


@pytest.mark.parametrize("quantity", [TIME, RATE, SIZE])
@given(value=st.integers(0, 10**22))
def test_what_is_written_reads_back(quantity: Quantity, value: int) -> None:
    text = quantity.format(value)
    assert quantity.parse(text) == value
    assert quantity.format(quantity.parse(text)) == text


def test_equal_quantities_are_written_alike() -> None:
    written = {TIME.format(TIME.parse(text)) for text in ("0.1 s", "100 ms", "100000us", "1e11 ps")}
    assert written == {"100 ms"}


def test_seconds() -> None:
    assert seconds("12 us") == 12e-6


def test_texts_have_at_most_64_characters() -> None:
    assert TIME.parse("0" * 61 + "7 s") == 7 * 10**12
    assert TIME.unknown_unit("0" * 61 + "7 x") == "x"
    with pytest.raises(QuantityError, match="must be a time with its unit"):
        TIME.parse("0" * 62 + "7 s")
    assert TIME.unknown_unit("0" * 62 + "7 x") == ""


@pytest.mark.parametrize(
    ("quantity", "units"),
    [
        (TIME, {"ps": 1, "ns": 1000, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12, "h": 3600 * 10**12}),
        (RATE, {"bps": 1, "kbps": 1000, "Mbps": 10**6, "Gbps": 10**9}),
        (
            SIZE,
            {"B": 1, "kB": 1000, "MB": 10**6, "GB": 10**9, "KiB": 1024, "MiB": 1024**2},
        ),
    ],
)
def test_every_unit(quantity: Quantity, units: dict[str, int]) -> None:
    assert quantity.units == units
    assert set(quantity.also.values()) <= set(units)
    assert set(quantity.spoken) <= set(units)
    assert quantity.format(0) == f"0 {quantity.plain}"
    assert quantity.parse(quantity.example) > 0


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        (TIME, 1, "1 ps"),
        (TIME, 1001, "1001 ps"),
        (TIME, 60 * 10**12, "60 s"),
        (TIME, 1500 * 10**9, "1500 ms"),
        (SIZE, 1024, "1024 B"),
        (SIZE, 5 * 10**9, "5 GB"),
        (RATE, 0, "0 bps"),
    ],
)
def test_values_are_written_in_the_largest_decimal_unit(quantity: Quantity, value: int, text: str) -> None:
    assert quantity.format(value) == text


def test_values_finer_than_the_smallest_unit_are_refused() -> None:
    with pytest.raises(QuantityError, match="must be a whole number of ps"):
        TIME.parse("1.0005 ns")
    with pytest.raises(NegativeError, match="and not negative"):
        TIME.parse("-1 ps")
    assert seconds("1500 ms") == 1.5
