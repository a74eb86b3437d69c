ubiheap timeline small.timeline
