ubiheap nodes -f csv -n 3 tiny-before.fxsnapshot
