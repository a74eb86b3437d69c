ubiheap nodes -s size tiny-before.fxsnapshot
