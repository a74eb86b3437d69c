ubiheap summary --class Zqwertyuiop node20-after.heapsnapshot.gz
