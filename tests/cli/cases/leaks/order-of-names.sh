mkdir order; for i in 1 2; do cp leak-$i.heapsnapshot "order/it is $i.heapsnapshot"; done; cd order; ubiheap leaks "it is 2.heapsnapshot" "it is 1.heapsnapshot"
