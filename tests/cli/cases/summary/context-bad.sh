ubiheap summary --context mine no-such-file
