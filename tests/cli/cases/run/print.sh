# As node does: the value of the code, of -e's or the first argument.
ubiheap run -p '({ a: 1, b: [2, "x"] })'
ubiheap run -p '"text " + scriptArgs' a b
ubiheap run -pe 'const x = 5; x * 2'
ubiheap run --print --eval 'print("first"); setTimeout(() => print("last"), 1); undefined'
echo '6 * 7' | ubiheap run -p
echo '6 * 8' | ubiheap run -p - x
