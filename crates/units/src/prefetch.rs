//! Prefetching into the processor's cache. This is the only unsafe code of the engine.

/// Size of a cache line in bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const LINE: usize = 64;

/// Requests all cache lines of a value that will be used soon. This changes nothing but the time that the use takes.
#[inline(always)]
#[cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(
        unsafe_code,
        reason = "with many flows most time is spent waiting for memory, and the next flows are known"
    )
)]
pub fn prefetch<T>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in 0..size_of::<T>().div_ceil(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: the address lies within `value`, and a prefetch neither reads nor writes in a way that a program can
        // observe
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(LINE * line)) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = value;
}
