ubiheap convert two.fxsnapshot out.heapsnapshot | sed "s/, [0-9.]* [KB]*.*//"
tail -n +2 out.heapsnapshot
