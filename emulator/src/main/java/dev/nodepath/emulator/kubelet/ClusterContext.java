package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.linux.LinuxNet;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;

/**
 * The parts that all kubelets of a cluster share.
 *
 * @param api of the cluster
 * @param access how nodes reach it
 * @param net makes namespaces
 * @param servers run in containers without a command
 * @param folder of the cluster's files
 * @param places the places that exec can enter
 * @param connecting a permit for each Pod whose network may be made at the same time
 * @param clock for times in objects
 */
public record ClusterContext(
        ClusterApi api,
        ApiAccess access,
        LinuxNet net,
        BuiltInServers servers,
        Path folder,
        Places places,
        Semaphore connecting,
        InstantSource clock) {}
