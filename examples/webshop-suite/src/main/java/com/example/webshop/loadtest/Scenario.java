package com.example.webshop.loadtest;

/** What one user does from the first page to the last: one transaction. */
public interface Scenario {
    /** Throws when the shop does not answer as it should; the transaction has failed then and ends. */
    void run(Shop shop) throws Exception;
}
