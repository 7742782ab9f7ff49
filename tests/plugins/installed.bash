# Plug-ins as a user builds them: outside the tree, with the installed headers and silas.pc alone.
. "$top_srcdir/tests/system/replay.bash"
command -v pkg-config >/dev/null || skip_all "no pkg-config"
command -v cc >/dev/null || skip_all "no cc"
stage=$work/stage
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" DESTDIR="$stage" install-plugin-headers \
    install-pkgconfigDATA install-dist_pluginexamplesDATA >install.log 2>&1 || { cat install.log && echo "Bail out! make install" && exit 99; }
PKG_CONFIG_PATH=$(dirname "$(find "$stage" -name silas.pc)")
export PKG_CONFIG_PATH
installed_prefix=$stage$(pkg-config --variable=prefix silas)
flags() { pkg-config --define-variable=prefix="$installed_prefix" "$@" silas; }
examples=$(pkg-config --define-variable=prefix="$installed_prefix" --variable=templates silas)
# shellcheck disable=SC2046 # words
plugin() { # SOURCE OUTPUT FLAGS...
    local source=$1 output=$2
    shift 2
    cc -shared -fPIC "$@" $(flags --cflags) "$source" -o "$output" 2>cc.err
}
