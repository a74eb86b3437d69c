ubiheap diff leak-2.heapsnapshot leak-1.heapsnapshot | head -n 2
ubiheap diff leak-1.heapsnapshot leak-2.heapsnapshot | head -n 2
ubiheap diff leak-2.heapsnapshot leak-2.heapsnapshot | head -n 2
