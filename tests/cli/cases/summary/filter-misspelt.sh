ubiheap summary --filter detachd no-such-file
