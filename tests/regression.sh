# regression.sh ASSAY CASE: replays a case; without bubblewrap (exit code 3) in plain processes.
"$1" replay "$2"
code=$?
[ $code -eq 3 ] || exit $code
exec "$1" replay "$2" --no-sandbox
