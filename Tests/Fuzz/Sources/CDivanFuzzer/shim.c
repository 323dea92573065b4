#include "CDivanFuzzer.h"
