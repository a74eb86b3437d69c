ubiheap convert chromium-alloc.heapsnapshot.gz out.heapsnapshot | sed "s/ (was.*//"
head -c 300 out.heapsnapshot; echo
ubiheap convert -f heapsnapshot out.heapsnapshot - | cmp - out.heapsnapshot && echo "the same again"
