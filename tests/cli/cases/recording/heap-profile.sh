# a sampling profile of V8 is a recording of what was alive
ubiheap report -n 3 sessions-3000.heapprofile
COLUMNS=40 ubiheap diff -n 2 sessions-3000.heapprofile sessions-6000.heapprofile
ubiheap allocations --with-callees -n 3 sessions-3000.heapprofile
ubiheap flamegraph --format text --rows 4 sessions-3000.heapprofile
ubiheap info sessions-3000.heapprofile
ubiheap report --fail-on 'total > 1MiB' sessions-3000.heapprofile > all; echo "status $?"
ubiheap report --by leaked sessions-3000.heapprofile; echo "status $?"
ubiheap summary sessions-3000.heapprofile; echo "status $?"
head -c 5000 sessions-3000.heapprofile > cut.heapprofile; ubiheap report cut.heapprofile; echo "status $?"
ubiheap diff --per second sessions-3000.heapprofile sessions-6000.heapprofile; echo "status $?"
