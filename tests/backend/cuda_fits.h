/* Whether programs of fewer samples and views fit the memory of a plan of the CUDA backend. */
#ifndef TESTS_BACKEND_CUDA_FITS_H
#define TESTS_BACKEND_CUDA_FITS_H

/* A test for cmocka. */
void smaller_batches_fit(void **unused);

#endif /* TESTS_BACKEND_CUDA_FITS_H */
