#!/bin/bash
# what it does
#GPUSCHED --gpus 2 --vram 8G --name 'my job'
#GPUSCHED --param lr=0.1,0.01 --param seed=1:5 --after ok:7,8
echo go
