# What ./quickstart and ./check need from the distribution, and how they get it. Sourced by both.

BUILD_PACKAGES=(
  cmake ninja-build g++
  libboost-dev libsqlite3-dev nlohmann-json3-dev libyaml-cpp-dev libfmt-dev
  libexpected-dev libncurses-dev libssl-dev zlib1g-dev
)
TEST_PACKAGES=(
  "${BUILD_PACKAGES[@]}"
  clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14
  libgtest-dev librapidcheck-dev
  python3 python3-pytest python3-venv curl binutils git iproute2
  zsh fish
)

missing_packages() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || echo "$package"
  done
}

# install_packages NAME…: says what it installs, uses sudo where needed; nothing if all is there.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    echo "No apt here. Needed, under whatever names they have: $*" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    return 0
  fi
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Missing packages, and no sudo. As root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing from the distribution: ${missing[*]}"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends "${missing[@]}")
  # The package lists of a fresh machine are often empty or old; fetched only when they are.
  if ! "${install[@]}" >/dev/null 2>&1; then
    "${as_root[@]}" apt-get update -qq && "${install[@]}" >/dev/null
  fi
}

# npm builds the page (docs/guide/page.md). It may be here from elsewhere than the distribution, and
# the daemon is worth having without its page.
install_npm() {
  command -v npm >/dev/null && return 0
  install_packages nodejs npm || echo "Without npm the daemon is built without its page."
}

# A browser for the tests of the page. Ubuntu's package only leads to its shop for programs; without
# a browser those tests are skipped.
install_browser() {
  command -v chromium >/dev/null && return 0
  grep -qx 'ID=debian' /etc/os-release || return 0
  install_packages chromium fonts-dejavu-core ||
    echo "Without chromium the page is not tested in a browser."
}
