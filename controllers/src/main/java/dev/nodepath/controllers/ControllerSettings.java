package dev.nodepath.controllers;

import java.time.Duration;

/**
 * What the controllers of a cluster are told.
 *
 * @param leaseLifetime how long after its last renewal a Node's Lease lasts
 * @param evictAfter how long Pods stay on a Node that is not ready or not heard of, if they do not say so themselves
 * @param lostAfter how long Pods stay that are bound to a Node that is not there
 * @param eventLifetime how long Events stay after they happened last
 * @param rootCertificate of the API server, in PEM: what Pods find in {@code kube-root-ca.crt}
 */
public record ControllerSettings(
        Duration leaseLifetime,
        Duration evictAfter,
        Duration lostAfter,
        Duration eventLifetime,
        String rootCertificate) {

    /** The times of Kubernetes 1.36. */
    public static ControllerSettings upstream(String rootCertificate) {
        return new ControllerSettings(
                Duration.ofSeconds(50),
                Duration.ofMinutes(5),
                Duration.ofSeconds(40),
                Duration.ofHours(1),
                rootCertificate);
    }
}
