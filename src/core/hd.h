/* core/hd.h - marks functions that are compiled twice: as C11 for the host, as CUDA
 * C++ for the device. Such code keeps to the common subset: positional initialisers,
 * no VLA, no restrict, no _Generic, no compound literals, no allocation. */
#ifndef JSNI_CORE_HD_H
#define JSNI_CORE_HD_H

#ifdef __CUDACC__
#define JSNI_HD __host__ __device__
#else
#define JSNI_HD
#endif

#define JSNI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif /* JSNI_CORE_HD_H */
