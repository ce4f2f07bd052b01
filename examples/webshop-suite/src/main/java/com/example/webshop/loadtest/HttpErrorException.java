package com.example.webshop.loadtest;

import java.io.IOException;
import java.net.URI;

/** The shop answered with a status of 400 or above. */
public final class HttpErrorException extends IOException {
    private static final long serialVersionUID = 1L;

    public HttpErrorException(int status, URI url) {
        super("Unexpected response code <" + status + "> for URL: " + url);
    }
}
