#!/usr/bin/env bash
# Sets up the two native libraries of Tenjiku Zero beside this file, where `.cargo/config.toml` looks:
#
#   libtorch/     libtorch 2.13.0, what the `tch` crate links: lib/ and include/
#   onnxruntime/  ONNX Runtime 1.32.0, loaded at run time by the exported networks' player: lib/libonnxruntime.so
#
# Both come out of Python wheels that pip fetches; no Python package is installed or imported. The CPU set-up
# takes from the big torch wheel only what a CPU run needs (libtorch_cpu, libc10, OpenMP, the headers) and two
# small CUDA libraries that libtorch_cpu names; `libtorch.so` is a link to `libtorch_cpu.so`, so that nothing
# asks for the CUDA half. Every wheel is pinned by its SHA-256, which pip and this script check.
#
# A folder is built as `NAME.partial-XXXX` and renamed when complete; finished downloads wait in `.setup-cache/`
# until everything is in place, so a run after an interrupted one goes on where that one stopped. A stamp file
# (`.setup-stamp`: version, then size and name of each library) lets a later run see that nothing is to do.
set -euo pipefail

TORCH=2.13.0
ORT=1.32.0

help() {
    cat <<EOF
Usage: ./setup.sh [--cuda]

Puts libtorch $TORCH and ONNX Runtime $ORT into libtorch/ and onnxruntime/ beside this script; after
that cargo build, cargo run and cargo test need no environment variable. What is in place is checked
and left alone; an interrupted run goes on where it stopped.

Options:
  --cuda      the complete libtorch with NVIDIA's libraries (Linux x86-64): 2.5 GB to download,
              3.9 GB in place. Runs on the CPU too. It needs no CUDA toolkit, only the NVIDIA driver
              (for CUDA 13), and replaces a CPU libtorch/.
              Back to the CPU one: rm -r libtorch && ./setup.sh && cargo clean -p torch-sys
  -h, --help  this text

Environment:
  LIBTORCH        a folder of your own with lib/ and include/ (libtorch $TORCH): used instead, nothing
                  of torch is downloaded. A Python environment's torch folder is one, too:
                  export LIBTORCH=\$(python3 -c 'import torch; print(torch.__path__[0])')
  ORT_DYLIB_PATH  your own ONNX Runtime library file: used instead.
  pip's own settings (PIP_INDEX_URL, PIP_NO_INDEX with PIP_FIND_LINKS, proxies, pip.conf) hold.

Needs cargo, python3 with pip, and a C++ compiler. Linux x86-64 and aarch64 (glibc 2.28 or newer)
and macOS 14 or newer on Apple silicon are covered; elsewhere set LIBTORCH and ORT_DYLIB_PATH.

Example:
  ./setup.sh && cargo run --release -- --help
EOF
}

exec 8>&2 # messages go here, also from within a command whose errors go to a file
say() { printf 'setup.sh: %s\n' "$*" >&8; }
die() {
    say "error: $*"
    exit 1
}

# ---- What to fetch: name==version, wheel file, its SHA-256, its bytes ----

torch_wheels() {
    case $system-$flavour in
    linux-x86_64-*) cat <<EOF
torch==$TORCH torch-$TORCH-cp312-cp312-manylinux_2_28_x86_64.whl 796633c4cdf0fe2cdced72d8f88f22e73dbcfce83132763162f6d4bff13b820b 526605292
nvidia-cuda-cupti==13.0.85 nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64.whl 4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8 10715597
nvidia-cuda-runtime==13.0.96 nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548 2243632
EOF
        ;;
    linux-aarch64-cpu) cat <<EOF
torch==$TORCH torch-$TORCH-cp312-cp312-manylinux_2_28_aarch64.whl 572df8be8ffb4599c88cbd6a0726f1f854f4da65d2e3c09f0e2c2283333cd6d4 427210998
nvidia-cuda-cupti==13.0.85 nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_aarch64.whl 796bd679890ee55fb14a94629b698b6db54bcfd833d391d5e94017dd9d7d3151 10310827
nvidia-cuda-runtime==13.0.96 nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55 2261060
EOF
        ;;
    macos-arm64-cpu) cat <<EOF
torch==$TORCH torch-$TORCH-cp312-cp312-macosx_14_0_arm64.whl 2fe228aba290d14b9f31b049be550dbd469c3fd3013d7a19705b30454da97027 111213045
EOF
        ;;
    esac
    # What torch's metadata asks for on Linux, less what only Python code uses.
    if [ "$flavour" = cuda ]; then cat <<EOF
nvidia-cublas==13.1.1.3 nvidia_cublas-13.1.1.3-py3-none-manylinux_2_27_x86_64.whl 37936a16db8fe4ac1f065c2139360608a543a09275cb1a1af612e08cfa065436 423138758
nvidia-cuda-nvrtc==13.0.88 nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575 90215200
nvidia-cudnn-cu13==9.20.0.48 nvidia_cudnn_cu13-9.20.0.48-py3-none-manylinux_2_27_x86_64.whl 0c45dd8eeb50b603f07995b1b300c62ffe6a1980482b82b3bcf94a4ca9d49304 366173588
nvidia-cufft==12.0.0.61 nvidia_cufft-12.0.0.61-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl 6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3 214085489
nvidia-cufile==1.15.1.6 nvidia_cufile-1.15.1.6-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl 08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44 1223672
nvidia-curand==10.4.0.35 nvidia_curand-10.4.0.35-py3-none-manylinux_2_27_x86_64.whl 1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc 59544258
nvidia-cusolver==12.0.4.66 nvidia_cusolver-12.0.4.66-py3-none-manylinux_2_27_x86_64.whl 0a759da5dea5c0ea10fd307de75cdeb59e7ea4fcb8add0924859b944babf1112 200941980
nvidia-cusparse==12.6.3.3 nvidia_cusparse-12.6.3.3-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl 2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b 145942937
nvidia-cusparselt-cu13==0.8.1 nvidia_cusparselt_cu13-0.8.1-py3-none-manylinux2014_x86_64.whl 786ce87568c303fadb5afcc7102d454cd3040d75f6f8626f5db460d1871f4dd0 170148586
nvidia-nccl-cu13==2.29.7 nvidia_nccl_cu13-2.29.7-py3-none-manylinux_2_18_x86_64.whl edd81538446786ec3b73972543e53bb43bcaf0bfc8ef76cb679fcc390ffe136d 205976000
nvidia-nvjitlink==13.5.37 nvidia_nvjitlink-13.5.37-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl 280d7cb9649704145f074b8dbde500de04ce02d0872e066e20a83c17bcaa93eb 46642491
nvidia-nvshmem-cu13==3.4.5 nvidia_nvshmem_cu13-3.4.5-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl 290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80 60412546
EOF
    fi
}

ort_wheels() {
    case $system in
    linux-x86_64) echo "onnxruntime==$ORT onnxruntime-$ORT-cp312-cp312-manylinux_2_28_x86_64.whl 99e1074c4b2197accd5073052a465361be17b89c093b8ffb6e6bd8f986c52df8 27780211" ;;
    linux-aarch64) echo "onnxruntime==$ORT onnxruntime-$ORT-cp312-cp312-manylinux_2_28_aarch64.whl e36c187006e7a7c8b8d6d57f1a209dd63f52430dca6c282b177718ad6b841054 23196724" ;;
    macos-arm64) echo "onnxruntime==$ORT onnxruntime-$ORT-cp312-cp312-macosx_14_0_arm64.whl d52510bbbcc880c13b826f7d75cdf33ac5cf0bb864d960000fc29ce73f0cb83e 22519308" ;;
    esac
}

# ---- Looking at what is there ----

bytes() { wc -c <"$1" | tr -d ' '; }

# in_place NAME STAMP_LINE [STAMP_LINE]: the folder was made by this script for one of these first lines, and each
# file that its stamp lists has the size it had then.
in_place() {
    local stamp=$1/.setup-stamp first size file headers
    [ -f "$stamp" ] || return 1
    {
        read -r first || return 1
        [ "$first" = "$2" ] || [ "$first" = "${3:-}" ] || return 1
        while read -r size file; do
            if [ "$size" = headers ]; then
                headers=$(find -L "$1/include" -type f | wc -l | tr -d ' ')
                [ "$headers" = "$file" ] || return 1
            else
                [ -f "$1/$file" ] && [ "$(bytes "$1/$file")" = "$size" ] || return 1
            fi
        done
    } <"$stamp"
}

# Somebody else's folder of that name is theirs: kept when usable, never deleted.
foreign() { [ -e "$1" ] && [ ! -f "$1/.setup-stamp" ]; }

usable_torch() { [ -d "$1/include" ] && { [ -e "$1/lib/libtorch_cpu.so" ] || [ -e "$1/lib/libtorch_cpu.dylib" ]; }; }

torch_version() { # MAJOR.MINOR.PATCH from the headers, or nothing
    cat "$1/include/torch/headeronly/version.h" "$1/include/torch/csrc/api/include/torch/version.h" 2>/dev/null |
        awk '$2 == "TORCH_VERSION_MAJOR" { a = $3 } $2 == "TORCH_VERSION_MINOR" { b = $3 }
            $2 == "TORCH_VERSION_PATCH" { c = $3 } END { if (a != "") print a "." b "." c }' || true
}

# look_at_torch FOLDER: says what is wrong with a libtorch that is not ours.
look_at_torch() {
    local found
    found=$(torch_version "$1")
    if [ -n "$found" ] && [ "$found" != "$TORCH" ]; then
        say "warning: $1 is libtorch $found, tch wants $TORCH: expect errors when building"
    fi
    if [ "$flavour" = cuda ] && [ ! -e "$1/lib/libtorch_cuda.so" ]; then
        say "warning: $1 has no libtorch_cuda: --cuda changes nothing in it"
    fi
}

# ---- Fetching and unpacking ----

child=
scratch=
partial=
old=
old_home=

clean_up() {
    local code=$?
    trap - EXIT
    trap '' INT TERM HUP
    [ -z "$child" ] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null || true
    [ -z "$scratch" ] || rm -rf "$scratch"
    [ -z "$partial" ] || rm -rf "$partial"
    if [ -n "$old" ] && [ -e "$old" ]; then
        if [ -e "$old_home" ]; then rm -rf "$old"; else mv "$old" "$old_home"; fi
    fi
    exit "$code"
}
stop() {
    say "stopped; ./setup.sh again goes on from here"
    exit "$1"
}

# Runs a command so that a signal is answered at once, not when the command ends.
run() {
    local code=0
    "$@" </dev/null &
    child=$!
    wait "$child" || code=$?
    child=
    return "$code"
}

unpack() { # unpack PROGRAM ARGUMENTS... : a small Python program over wheels
    run "$python" -c "$@"
}

find_pip() {
    command -v python3 >/dev/null ||
        die "python3 is missing: install it with pip (Debian: apt-get install python3-pip), or set LIBTORCH and ORT_DYLIB_PATH (see ./setup.sh --help)"
    # The interpreter itself: a wrapper of that name may not pass signals on.
    python=$(python3 -c 'import sys; print(sys.executable)') || die "python3 does not run: repair it, or set LIBTORCH and ORT_DYLIB_PATH (see ./setup.sh --help)"
    if "$python" -m pip --version >/dev/null 2>&1; then
        pip=("$python" -m pip)
    elif command -v pip3 >/dev/null && pip3 --version >/dev/null 2>&1; then
        pip=(pip3)
    elif command -v pip >/dev/null && pip --version >/dev/null 2>&1; then
        pip=(pip)
    else
        die "pip is missing: install it (Debian: apt-get install python3-pip; elsewhere: python3 -m ensurepip), or set LIBTORCH and ORT_DYLIB_PATH (see ./setup.sh --help)"
    fi
}

sha256() {
    run "$python" -c '
import hashlib, sys
digest = hashlib.sha256()
with open(sys.argv[1], "rb") as file:
    for chunk in iter(lambda: file.read(1 << 20), b""):
        digest.update(chunk)
sys.exit(digest.hexdigest() != sys.argv[2])' "$1" "$2"
}

# have FILE SHA256 BYTES: the wheel is in the cache, whole.
have() { [ -f "$cache/$1" ] && [ "$(bytes "$cache/$1")" = "$3" ] && sha256 "$cache/$1" "$2"; }

fetch() { # fetch NAME==VERSION FILE SHA256 BYTES
    local platform code=0 reason quiet=-q
    platform=${2%.whl}
    platform=${platform##*-}
    platform=${platform%%.*}
    [ ! -t 2 ] || quiet=--progress-bar=on
    say "fetching $1 ($(($4 / 1000000)) MB)"
    printf '%s --hash=sha256:%s\n' "$1" "$3" >"$scratch/wanted.txt"
    mkdir -p "$scratch/tmp" "$scratch/wheel"
    # The options name the wheel exactly, whatever Python runs pip. TMPDIR: a small /tmp would not hold it.
    TMPDIR=$scratch/tmp PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_REQUIRE_VIRTUALENV=0 \
        run "${pip[@]}" download "$quiet" --no-deps --require-hashes --retries 2 --only-binary=:all: \
        --python-version 3.12 --implementation cp --abi cp312 --platform "$platform" \
        --dest "$scratch/wheel" -r "$scratch/wanted.txt" >&2 2>"$scratch/log" || code=$?
    if [ "$code" != 0 ] || [ ! -f "$scratch/wheel/$2" ]; then
        reason=$(grep '^ERROR' "$scratch/log" | head -n 1 || true)
        case $(cat "$scratch/log") in
        *'No space left'*) die "the disk is full while fetching $1: free some space and run ./setup.sh again" ;;
        *'DO NOT MATCH'*) die "$1 from pip's index is not the file this script knows (SHA-256 differs): check pip's index setting (PIP_INDEX_URL)" ;;
        esac
        die "pip could not fetch $1: check the network or pip's settings (PIP_INDEX_URL, PIP_NO_INDEX, a proxy) and run ./setup.sh again, or set LIBTORCH and ORT_DYLIB_PATH (see --help). pip says: ${reason:-nothing}"
    fi
    mv "$scratch/wheel/$2" "$cache/$2"
}

# room WHEELS_TEXT MEGABYTES: enough disk for the wheels not yet here (twice: pip's own cache keeps a copy; a third time
# for the largest: pip's temporary file) and for that many megabytes unpacked.
room() {
    local free need=$2 largest=0 spec file sum size
    while read -r spec file sum size; do
        if [ ! -f "$cache/$file" ]; then
            need=$((need + 2 * size / 1000000))
            [ "$size" -le "$largest" ] || largest=$size
        fi
    done <<<"$1"
    need=$((need + largest / 1000000))
    free=$(df -Pk "$root" | awk 'NR == 2 { print int($4 * 1024 / 1000000) }')
    [ "$free" -ge "$need" ] ||
        die "too little disk: this needs about $need MB for a while, $root has $free MB free. Free some space, or set LIBTORCH (see --help)"
}

fetch_all() { # fetch_all WHEELS_TEXT
    local spec file sum size
    while read -r spec file sum size <&3; do
        if ! have "$file" "$sum" "$size"; then
            rm -f "$cache/$file"
            fetch "$spec" "$file" "$sum" "$size"
        fi
    done 3<<<"$1"
}

# Puts the finished $partial in NAME's place; what was there (ours) goes when the new one is in.
move_in() {
    if [ -e "$1" ] || [ -L "$1" ]; then
        old_home=$1
        old=$1.partial-old-$$
        mv "$1" "$old"
    fi
    mv "$partial" "$1"
    partial=
    [ -z "$old" ] || rm -rf "$old"
    old=
}

# write_stamp FIRST_LINE: notes what is in $partial.
write_stamp() {
    local file
    {
        printf '%s\n' "$1"
        (cd "$partial" && find -L lib -type f && { [ ! -d nvidia ] || find nvidia -type f; }) | while read -r file; do
            printf '%s %s\n' "$(bytes "$partial/$file")" "$file"
        done
        [ ! -d "$partial/include" ] || printf 'headers %s\n' "$(find -L "$partial/include" -type f | wc -l | tr -d ' ')"
    } >"$partial/.setup-stamp"
}

torch_program='
import os, re, shutil, sys, zipfile
flavour, target, wheels = sys.argv[1], sys.argv[2], sys.argv[3:]
unused = re.compile(r"libtorch_python|libshm|libtorch_global_deps")
cuda = re.compile(r"cuda|nvshmem|nvrtc|^libtorch\.so$")
for wheel in wheels:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            name, base = member.filename, os.path.basename(member.filename)
            if member.is_dir():
                continue
            if name.startswith("torch/include/"):
                place = name[len("torch/"):]
            elif re.match(r"torch/lib/lib[^/]*\.(so|dylib)[^/]*$", name):
                if unused.search(base) or flavour == "cpu" and cuda.search(base):
                    continue
                place = "lib/" + base
            elif re.match(r"nvidia/.*/lib/lib[^/]*\.so[^/]*$", name):
                if flavour == "cpu" and base not in ("libcupti.so.13", "libcudart.so.13"):
                    continue
                place = name if flavour == "cuda" else "lib/" + base
            else:
                continue
            if flavour == "cuda" and not name.startswith("nvidia/"):
                place = "torch/" + place
            place = os.path.join(target, place)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with archive.open(member) as source, open(place, "wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
if flavour == "cuda":
    # The libraries look for NVIDIA ones at ../../nvidia/, as in a Python installation.
    os.symlink("torch/lib", os.path.join(target, "lib"))
    os.symlink("torch/include", os.path.join(target, "include"))
elif os.path.exists(os.path.join(target, "lib", "libtorch_cpu.so")):
    os.symlink("libtorch_cpu.so", os.path.join(target, "lib", "libtorch.so"))
'

ort_program='
import re, shutil, sys, zipfile
target, wheel = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    [name] = [n for n in archive.namelist() if re.match(r"onnxruntime/capi/libonnxruntime\.(so\.[0-9.]+|[0-9.]+\.dylib)$", n)]
    with archive.open(name) as source, open(target + "/lib/libonnxruntime.so", "wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
'

start_partial() {
    partial=$(mktemp -d "$root/$1.partial-XXXXXX") || die "cannot write to $root"
    chmod 755 "$partial"
}

install_torch() {
    local wheels files=() spec file sum size
    wheels=$(torch_wheels)
    if [ "$flavour" = cuda ]; then room "$wheels" 3900; else room "$wheels" 520; fi
    fetch_all "$wheels"
    while read -r spec file sum size; do files+=("$cache/$file"); done <<<"$wheels"
    say "unpacking libtorch $TORCH"
    start_partial libtorch
    unpack "$torch_program" "$flavour" "$partial" "${files[@]}" ||
        die "unpacking libtorch failed (is the disk full?): free some space and run ./setup.sh again"
    usable_torch "$partial" && [ "$(torch_version "$partial")" = "$TORCH" ] ||
        die "the torch wheel does not hold libtorch $TORCH as expected: set LIBTORCH (see --help)"
    write_stamp "libtorch $TORCH $flavour $system"
    move_in "$root/libtorch"
}

install_ort() {
    local wheels spec file sum size
    wheels=$(ort_wheels)
    room "$wheels" 40
    fetch_all "$wheels"
    read -r spec file sum size <<<"$wheels"
    say "unpacking ONNX Runtime $ORT"
    start_partial onnxruntime
    mkdir "$partial/lib"
    unpack "$ort_program" "$partial" "$cache/$file" ||
        die "unpacking ONNX Runtime failed (is the disk full?): free some space and run ./setup.sh again"
    write_stamp "onnxruntime $ORT $system"
    move_in "$root/onnxruntime"
}

# ---- The run ----

trap clean_up EXIT
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP

flavour=cpu
for argument in "$@"; do
    case $argument in
    --cuda) flavour=cuda ;;
    -h | --help)
        help
        exit 0
        ;;
    *)
        say "error: unknown argument $argument (see ./setup.sh --help)"
        exit 2
        ;;
    esac
done

root=$(CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cache=$root/.setup-cache
case $(uname -s)-$(uname -m) in
Linux-x86_64) system=linux-x86_64 ;;
Linux-aarch64 | Linux-arm64) system=linux-aarch64 ;;
Darwin-arm64) system=macos-arm64 ;;
*) system=other ;;
esac

command -v cargo >/dev/null || die "cargo is missing: install Rust 1.92 or newer (rustup) and run ./setup.sh again"
command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
    say "warning: no C++ compiler found (Debian: apt-get install g++): building tch will need one"

need_torch=1
if [ -n "${LIBTORCH:-}" ] && [ "$LIBTORCH" != "$root/libtorch" ]; then
    case $LIBTORCH in /*) ;; *) die "LIBTORCH=$LIBTORCH is not an absolute path: cargo needs one" ;; esac
    usable_torch "$LIBTORCH" ||
        die "LIBTORCH=$LIBTORCH has no include/ and lib/libtorch_cpu: point it to a libtorch $TORCH folder, or unset it to have one downloaded"
    say "libtorch: using LIBTORCH=$LIBTORCH"
    look_at_torch "$LIBTORCH"
    need_torch=
fi
need_ort=1
if [ -n "${ORT_DYLIB_PATH:-}" ] && [ "$ORT_DYLIB_PATH" != "$root/onnxruntime/lib/libonnxruntime.so" ]; then
    [ -f "$ORT_DYLIB_PATH" ] ||
        die "ORT_DYLIB_PATH=$ORT_DYLIB_PATH is not a file: point it to an ONNX Runtime library, or unset it to have one downloaded"
    say "ONNX Runtime: using ORT_DYLIB_PATH=$ORT_DYLIB_PATH"
    need_ort=
fi

torch_there() {
    if [ "$flavour" = cuda ]; then
        in_place "$root/libtorch" "libtorch $TORCH cuda $system"
    else
        in_place "$root/libtorch" "libtorch $TORCH cpu $system" "libtorch $TORCH cuda $system"
    fi
}
ort_there() { in_place "$root/onnxruntime" "onnxruntime $ORT $system"; }

# look: clears need_torch and need_ort where the libraries are in place.
look() {
    if [ -n "$need_torch" ]; then
        if foreign "$root/libtorch"; then
            usable_torch "$root/libtorch" ||
                die "$root/libtorch was not made by this script and is no libtorch: move it away and run ./setup.sh again"
            say "libtorch: keeping the libtorch/ that is there (not made by this script; move it away to have it replaced)"
            look_at_torch "$root/libtorch"
            need_torch=
        elif torch_there; then
            read -r line <"$root/libtorch/.setup-stamp"
            say "$line is in place"
            need_torch=
        fi
    fi
    if [ -n "$need_ort" ]; then
        if foreign "$root/onnxruntime"; then
            [ -e "$root/onnxruntime/lib/libonnxruntime.so" ] ||
                die "$root/onnxruntime was not made by this script and has no lib/libonnxruntime.so: move it away and run ./setup.sh again"
            say "ONNX Runtime: keeping the onnxruntime/ that is there (not made by this script; move it away to have it replaced)"
            need_ort=
        elif ort_there; then
            read -r line <"$root/onnxruntime/.setup-stamp"
            say "$line is in place"
            need_ort=
        fi
    fi
}

look
if [ -z "$need_torch$need_ort" ]; then
    exit 0
fi

if [ "$system" = other ] && [ -z "$need_torch" ]; then
    say "no prebuilt ONNX Runtime for $(uname -s) $(uname -m): exported networks run without it, slower (or set ORT_DYLIB_PATH)"
    exit 0
fi
[ "$system" != other ] ||
    die "no prebuilt libraries for $(uname -s) $(uname -m): set LIBTORCH to a libtorch $TORCH folder and ORT_DYLIB_PATH to an ONNX Runtime library, then run ./setup.sh again"
if [ "$flavour" = cuda ] && [ "$system" != linux-x86_64 ]; then
    die "--cuda is for Linux x86-64: elsewhere set LIBTORCH to a libtorch $TORCH folder with CUDA"
fi
case $system in
linux-*)
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p') || true
    case $glibc in
    2.[0-9] | 2.1[0-9] | 2.2[0-7] | '') die "the prebuilt libraries need glibc 2.28 or newer (here: ${glibc:-none}): set LIBTORCH and ORT_DYLIB_PATH to your own" ;;
    esac
    ;;
esac
find_pip
[ -w "$root" ] || die "cannot write to $root"

# One run at a time: a lock on this very file, gone with the last process that holds it. A file system that knows no
# locks does without.
exec 9<"$root/setup.sh"
lock='
import fcntl, sys
try:
    fcntl.flock(9, fcntl.LOCK_EX | (fcntl.LOCK_NB if sys.argv[1] == "try" else 0))
except BlockingIOError:
    sys.exit(3)
except OSError:
    pass'
code=0
"$python" -c "$lock" try || code=$?
if [ "$code" = 3 ]; then
    say "another setup.sh is at work here: waiting for it"
    run "$python" -c "$lock" wait
    look
    if [ -z "$need_torch$need_ort" ]; then
        exit 0
    fi
fi

# What a killed run left.
rm -rf "$root"/libtorch.partial-* "$root"/onnxruntime.partial-* "$cache"/tmp-*
mkdir -p "$cache"
scratch=$(mktemp -d "$cache/tmp-XXXXXX")

[ -z "$need_ort" ] || install_ort
[ -z "$need_torch" ] || install_torch
rm -rf "$cache"
say "done: cargo build, run and test find the libraries"
