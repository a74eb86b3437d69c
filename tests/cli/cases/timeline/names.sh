ubiheap timeline -m render -m GarbageCollection --top 0 small.timeline
