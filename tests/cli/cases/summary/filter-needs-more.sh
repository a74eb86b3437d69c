ubiheap summary --filter allocated no-such-file
