/* handle.c - handles and errors. */
#include "glue.h"

SEXP glue_handle(void (*release)(SEXP), SEXP keep) {
    SEXP handle = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, keep));
    R_RegisterCFinalizerEx(handle, release, TRUE);
    SEXP address = PROTECT(R_MakeExternalPtrFn((DL_FUNC)release, R_NilValue, R_NilValue));
    R_SetExternalPtrTag(handle, address);
    UNPROTECT(2);
    return handle;
}

void *glue_pointer(SEXP handle) {
    if (TYPEOF(handle) != EXTPTRSXP || !R_ExternalPtrAddr(handle)) Rf_error("not a handle of the library, or one that was freed");
    return R_ExternalPtrAddr(handle);
}

SEXP glue_release(SEXP handle) {
    if (TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrAddr(handle))
        ((void (*)(SEXP))R_ExternalPtrAddrFn(R_ExternalPtrTag(handle)))(handle);
    return R_NilValue;
}

/* R's own function of the package gives the condition its class and the options their names in R. */
void glue_check(spdhg_status status, const spdhg_error *err) {
    if (status == SPDHG_OK) return;
    SEXP name = PROTECT(Rf_mkString("spdhg"));
    SEXP space = PROTECT(R_FindNamespace(name));
    SEXP number = PROTECT(Rf_ScalarInteger((int)status));
    SEXP text = PROTECT(Rf_ScalarString(Rf_mkCharCE(err->message, CE_UTF8)));
    SEXP call = PROTECT(Rf_lang3(Rf_install("stop_with"), number, text));
    Rf_eval(call, space);
    UNPROTECT(5);
}
