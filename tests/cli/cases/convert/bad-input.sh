ubiheap convert text.txt copy.fxsnapshot
status=$?
ls copy.fxsnapshot 2>/dev/null
exit $status
