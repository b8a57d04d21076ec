package dev.nodepath.agent.daemon;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.server.CallRequest;
import dev.nodepath.cni.server.CniServerListener;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** The events of a CNI server as lines of the log. */
public final class CniLog implements CniServerListener {
    private static final Logger LOG = LoggerFactory.getLogger(CniLog.class);

    @Override
    public void served(CallRequest request, CallOutcome outcome, Duration duration) {
        if (outcome.exitCode() == 0) {
            call(isOfContainer(request) ? LOG.atInfo() : LOG.atDebug(), request)
                    .addKeyValue("duration_ms", duration.toMillis())
                    .log("cni.served");
        } else {
            call(LOG.atWarn(), request)
                    .addKeyValue("duration_ms", duration.toMillis())
                    .addKeyValue("answer", outcome.stdout().strip())
                    .log("cni.failed");
        }
    }

    @Override
    public void refused(String reason) {
        LOG.atWarn().addKeyValue("reason", reason).log("cni.refused");
    }

    @Override
    public void leftToClient(CallRequest request) {
        call(LOG.atDebug(), request).log("cni.left_to_client");
    }

    @Override
    public void answerLost(CallRequest request, String reason) {
        call(LOG.atWarn(), request).addKeyValue("reason", reason).log("cni.answer_lost");
    }

    @Override
    public void rehearsed(CallOutcome last) {
        LOG.atDebug()
                .addKeyValue("exit_code", last.exitCode())
                .addKeyValue("answer", last.stdout().strip())
                .log("cni.rehearsed");
    }

    @Override
    public void acceptFailed(String reason) {
        LOG.atError().addKeyValue("reason", reason).log("cni.accept_failed");
    }

    /** A runtime calls STATUS every five seconds without a container: libcni then sets an empty variable. */
    private static boolean isOfContainer(CallRequest request) {
        return !request.variables().getOrDefault("CNI_CONTAINERID", "").isEmpty();
    }

    private static LoggingEventBuilder call(LoggingEventBuilder event, CallRequest request) {
        return event.addKeyValue("command", request.variables().get("CNI_COMMAND"))
                .addKeyValue("container", request.variables().get("CNI_CONTAINERID"))
                .addKeyValue("interface", request.variables().get("CNI_IFNAME"));
    }
}
