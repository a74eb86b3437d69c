ubiheap timeline --marker Paint small.timeline
