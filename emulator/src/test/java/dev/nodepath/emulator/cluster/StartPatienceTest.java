package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartPatienceTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration START = Duration.ofHours(5);
    private static final Map<String, String> STATUS = Map.of(
            "new",
            "{'phase':'Pending'}",
            "connected",
            "{'phase':'Pending','podIPs':[{'ip':'10.244.1.2'}],"
                    + "'containerStatuses':[{'state':{'waiting':{'reason':'ContainerCreating'}}}]}",
            "unready",
            "{'phase':'Running','podIPs':[{'ip':'10.244.1.2'}],"
                    + "'conditions':[{'type':'Ready','status':'False','message':'containers with unready status: [a]'}]}",
            "ready",
            "{'phase':'Running','podIPs':[{'ip':'10.244.1.2'}],'conditions':[{'type':'Ready','status':'True'}]}",
            "homeless",
            "{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False','message':'0/2 nodes'}]}",
            "crashing",
            "{'phase':'Running','podIPs':[{'ip':'10.244.1.2'}],"
                    + "'containerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off'}}}]}",
            "initializing",
            "{'phase':'Pending','podIPs':[{'ip':'10.244.1.2'}],"
                    + "'initContainerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'b'}}}]}",
            "failed",
            "{'phase':'Failed','podIPs':[{'ip':'10.244.1.2'}]}",
            "succeeded",
            "{'phase':'Succeeded','podIPs':[{'ip':'10.244.1.2'}]}");

    private final StartPatience patience = new StartPatience(START);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ready new       | 60
            ready connected | 60
            ready unready   | 60
            homeless new    | 60
            ready           | 60
            ready homeless  | 15
            crashing        | 15
            initializing    | 15
            failed          | 15
            succeeded       | 15
            homeless failed | 15
            """)
    void waitsLongerForAPodThatItsNodeWorksOn(String pods, int seconds) throws JsonProcessingException {
        assertThat(isOver(pods, 0)).as("at first").isFalse();
        assertThat(isOver(pods, seconds)).as("at the limit").isFalse();
        assertThat(isOver(pods, seconds + 1)).as("after the limit").isTrue();
    }

    @Test
    void countsFromTheLastStep() throws JsonProcessingException {
        assertThat(isOver("new new", 0)).isFalse();
        assertThat(isOver("connected new", 50)).isFalse();
        assertThat(isOver("ready new", 100)).isFalse();
        assertThat(isOver("ready connected", 160)).isFalse();
        assertThat(isOver("ready connected", 221)).isTrue();
    }

    /** A crashing container is ready for a moment each time. */
    @Test
    void thatAPodBecomesReadyAgainIsNoStep() throws JsonProcessingException {
        assertThat(isOver("ready new", 0)).isFalse();
        assertThat(isOver("crashing connected", 30))
                .as("the second has a network")
                .isFalse();
        assertThat(isOver("ready connected", 60)).isFalse();
        assertThat(isOver("crashing ready", 80)).as("the second is ready").isFalse();
        assertThat(isOver("ready crashing", 90)).isFalse();
        assertThat(isOver("crashing ready", 95)).isFalse();
        assertThat(isOver("crashing ready", 96)).isTrue();
    }

    @Test
    void aPodThatIsStuckAfterALongStartGetsItsNextStart() throws JsonProcessingException {
        assertThat(isOver("unready", 0)).isFalse();
        assertThat(isOver("unready", 30)).isFalse();
        assertThat(isOver("crashing", 31)).isFalse();
        assertThat(isOver("crashing", 45)).isFalse();
        assertThat(isOver("crashing", 46)).isTrue();
    }

    @Test
    void aClusterWithoutPodsMayGetSome() throws JsonProcessingException {
        assertThat(isOver("", 0)).isFalse();
        assertThat(isOver("", 60)).isFalse();
        assertThat(isOver("", 61)).isTrue();
    }

    /** Pods that are replaced make steps under new names. */
    @Test
    void endsAtLastWhileThereAreSteps() throws JsonProcessingException {
        StringBuilder pods = new StringBuilder("connected");
        for (int seconds = 0; seconds <= 600; seconds += 50) {
            assertThat(isOver(pods.toString(), seconds))
                    .as("after %s s", seconds)
                    .isFalse();
            pods.append(" connected");
        }
        assertThat(isOver(pods.toString(), 601)).isTrue();
    }

    private boolean isOver(String pods, int seconds) throws JsonProcessingException {
        List<ObjectNode> objects = new ArrayList<>();
        for (String each : pods.isEmpty() ? new String[0] : pods.split(" ", -1)) {
            String pod = "{'metadata':{'namespace':'default','name':'" + objects.size() + "'},'status':"
                    + STATUS.get(each) + "}";
            objects.add((ObjectNode) JSON.readTree(pod.replace('\'', '"')));
        }
        return patience.isOver(objects, START.plusSeconds(seconds));
    }
}
