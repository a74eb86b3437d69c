# Nothing is named: the script comes from standard input.
echo 'print("from standard input", scriptArgs)' | ubiheap run
ubiheap run --json </dev/null
