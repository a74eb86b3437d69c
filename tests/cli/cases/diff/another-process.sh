ubiheap diff --by class -n 3 other-1.heapsnapshot leak-2.heapsnapshot
for old in other-1 leak-1; do ubiheap diff --by class --json $old.heapsnapshot leak-2.heapsnapshot | grep -o '"commonIds":[0-9]*,"sameProcess":[a-z]*'; done
