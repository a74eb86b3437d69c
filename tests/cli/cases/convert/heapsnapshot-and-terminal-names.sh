ubiheap convert -f heapsnapshot hostile.fxsnapshot - | tail -n 1 | cut -c1-200
