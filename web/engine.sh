#!/usr/bin/env bash
# Compiles the engine to WebAssembly: target/lab/engine.wasm. `make wasm` calls it.
#
# Needs the standard library for wasm32-unknown-unknown: from rustup, or else, on Debian, from the packages of rustc-web,
# which has the back end and the library's source. They are unpacked below target/; nothing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TARGET=wasm32-unknown-unknown
out=target/lab
sysroot=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')

# Messages of panics name sources without the folders of this machine.
flags="--remap-path-prefix=$PWD="
for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do flags+=" --remap-path-prefix=$sources="; done

build() {
	echo "Compiling the engine to WebAssembly${1:+, with the standard library of Rust}"
	cargo build --quiet --locked --package ackclock-wasm --profile wasm --target "$TARGET" --target-dir target/wasm "$@"
}

if [[ -d $sysroot/lib/rustlib/$TARGET ]]; then
	export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$flags"
	build
else
	debian=$PWD/target/rustc-web
	if [[ ! -e $debian/complete ]]; then
		if ! apt-cache show rustc-web rust-web-src >/dev/null 2>&1; then
			echo "The lab needs Rust's standard library for $TARGET. Install it with: rustup target add $TARGET" >&2
			exit 1
		fi
		rm -rf "$debian" && mkdir -p "$debian/packages"
		# The compiler's own libraries: the packages that the two name, other than those of a C tool chain.
		packages=(rustc-web rust-web-src $(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts \
			--no-breaks --no-replaces --no-enhances rustc-web | grep -E '^(libstd-rust-web-|libllvm)'))
		size=$(apt-get download --print-uris "${packages[@]}" | awk '{ sum += $3 } END { printf "%.0f", sum / 1e6 }')
		echo "Downloading Debian's compiler for WebAssembly, ${#packages[@]} packages, $size MB, into target/rustc-web"
		(cd "$debian/packages" && apt-get download -qq "${packages[@]}" 2>/dev/null)
		for package in "$debian"/packages/*.deb; do dpkg -x "$package" "$debian"; done
		rm -r "$debian/packages"
		touch "$debian/complete"
	fi
	libraries=$(find "$debian/usr/lib" -maxdepth 2 -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	linker=$sysroot/lib/rustlib/$host/bin/rust-lld
	# rustup's cargo with Debian's compiler, which is a stable release: only building the standard library is not stable.
	env LD_LIBRARY_PATH="$libraries" RUSTC="$debian/usr/bin/rustc" RUSTC_BOOTSTRAP=1 \
		CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker" \
		CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-Clinker-flavor=wasm-lld -Zunstable-options $flags" \
		bash -c "$(declare -f build); TARGET=$TARGET build -Zbuild-std=std,panic_abort"
fi
mkdir -p "$out"
cp "target/wasm/$TARGET/wasm/ackclock_wasm.wasm" "$out/engine.wasm"
