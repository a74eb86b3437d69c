ubiheap nodes -f csv -w 'id == 1' tiny-before.fxsnapshot
