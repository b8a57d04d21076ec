package dev.nodepath.controllers;

import java.time.Duration;

/**
 * The settings of a cluster's controllers.
 *
 * @param leaseLifetime how long a Node's Lease lasts after its last renewal
 * @param evictAfter how long Pods without a toleration of their own stay on a Node that is not ready or unreachable
 * @param lostAfter how long Pods stay that are bound to an absent Node
 * @param eventLifetime how long Events stay after their last occurrence
 * @param rootCertificate of the API server, in PEM; Pods find it in {@code kube-root-ca.crt}
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
