//! Memory: a pool of reused slots, and vectors that grow slowly.

pub(crate) mod pool;

/// Size in bytes above which a vector grows by a quarter.
const LARGE: usize = 1 << 22;

/// Makes room for `more` values. A large vector grows by a quarter and is not doubled, so that a run below its limit does
/// not suddenly need twice as much.
pub(crate) fn grow<T>(values: &mut Vec<T>, more: usize) {
    let len = values.len();
    if len + more > values.capacity() {
        let spare = if len * size_of::<T>() < LARGE { len } else { len / 4 };
        values.reserve_exact(spare.max(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_vectors_grow_by_a_quarter() {
        let mut values: Vec<u64> = Vec::new();
        for value in 0..2_000_000 {
            grow(&mut values, 1);
            values.push(value);
            let bytes = values.capacity() * size_of::<u64>();
            assert!(values.capacity() <= 2 * values.len(), "{bytes}");
            assert!(bytes < 2 * LARGE || 4 * values.capacity() <= 5 * values.len() + 8, "{bytes}");
        }
    }
}
