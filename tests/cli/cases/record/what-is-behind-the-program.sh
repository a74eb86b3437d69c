# Everything behind the program is the program's, whatever it looks like.
ubiheap record --output x.ubirec printf "%s\n" --exact -- -x "" 2> line
grep -c "^ubiheap: recorded " line
