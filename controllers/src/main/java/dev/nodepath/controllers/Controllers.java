package dev.nodepath.controllers;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.controllers.endpoints.BalancerController;
import dev.nodepath.controllers.endpoints.EndpointSliceController;
import dev.nodepath.controllers.endpoints.EndpointsController;
import dev.nodepath.controllers.endpoints.EndpointsMirror;
import dev.nodepath.controllers.lifecycle.CustomObjects;
import dev.nodepath.controllers.lifecycle.EventTtlController;
import dev.nodepath.controllers.lifecycle.GarbageCollector;
import dev.nodepath.controllers.lifecycle.NamespaceController;
import dev.nodepath.controllers.lifecycle.NodeLifecycle;
import dev.nodepath.controllers.lifecycle.PodGcController;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.ControllerLoop;
import dev.nodepath.controllers.schedule.ClaimController;
import dev.nodepath.controllers.schedule.EphemeralClaims;
import dev.nodepath.controllers.schedule.PodScheduler;
import dev.nodepath.controllers.workload.DaemonSetController;
import dev.nodepath.controllers.workload.DeploymentController;
import dev.nodepath.controllers.workload.JobController;
import dev.nodepath.controllers.workload.ReplicaSetController;
import dev.nodepath.controllers.workload.StatefulSetController;
import java.time.InstantSource;
import java.util.List;

/** All controllers of a cluster, on one thread. */
public final class Controllers implements AutoCloseable {
    private final ControllerLoop loop;

    private Controllers(ControllerLoop loop) {
        this.loop = loop;
    }

    /** Starts all controllers; present objects count as changed. */
    public static Controllers start(ClusterApi api, InstantSource clock, ControllerSettings settings) {
        ControllerLoop loop = stopped(api, clock, settings);
        loop.start();
        return new Controllers(loop);
    }

    /** All controllers, on the thread that calls {@link ControllerLoop#runUntilIdle()}. */
    static ControllerLoop stopped(ClusterApi api, InstantSource clock, ControllerSettings settings) {
        return new ControllerLoop(api, clock, all(api, clock, settings));
    }

    /** See {@link ControllerLoop#troubles()}. */
    public List<String> troubles() {
        return loop.troubles();
    }

    @Override
    public void close() {
        loop.close();
    }

    private static List<Controller> all(ClusterApi api, InstantSource clock, ControllerSettings settings) {
        return List.of(
                new EndpointSliceController(api, clock),
                new EphemeralClaims(api, clock),
                new PodScheduler(api, clock),
                new ReplicaSetController(api, clock),
                new DeploymentController(api, clock),
                new StatefulSetController(api, clock),
                new DaemonSetController(api, clock),
                new JobController(api, clock),
                new ClaimController(api, clock),
                new BalancerController(api, clock),
                new NodeLifecycle(api, clock, settings.leaseLifetime(), settings.evictAfter()),
                new GarbageCollector(api),
                new NamespaceController(api, settings.rootCertificate()),
                new CustomObjects(api),
                new ClusterRoleAggregation(api),
                new PodGcController(api, clock, settings.lostAfter()),
                new EndpointsController(api, clock),
                new EndpointsMirror(api, clock),
                new EventTtlController(api, clock, settings.eventLifetime()));
    }
}
