# Nothing is written into the snapshot, which would be opened as descriptor 1.
ubiheap info two.fxsnapshot >&-
echo "exit $?"
ubiheap nodes -c id two.fxsnapshot
