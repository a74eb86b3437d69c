ubiheap leaks --every 1s --times 1000 ubi://localhost
