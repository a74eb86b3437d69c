ubiheap record --exact --output x.ubirec -- sort tiny-before.fxsnapshot 2> line > sorted
sed "s/[0-9][0-9.,]*\( .iB\)*/N/g" line
ubiheap report x.ubirec | sed -n -e 1p -e "s/ *sort tiny/ sort tiny/p" -e "s/^Ran .*; //p"
