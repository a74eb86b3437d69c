ubiheap info small.timeline
ubiheap info --json killed.timeline; echo $?
