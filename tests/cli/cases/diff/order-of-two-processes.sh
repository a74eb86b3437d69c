ubiheap diff leak-3.heapsnapshot other-1.heapsnapshot | head -n 3
ubiheap diff -b coarseType leak-3.heapsnapshot other-1.heapsnapshot | head -n 3
ubiheap diff -b coarseType leak-3.heapsnapshot leak-1.heapsnapshot | head -n 3
