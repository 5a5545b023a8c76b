// The C library at the work of the rows of `StreamLoads peers`: the same messages, server, store and windows.
//
//   StreamPeer publish URL COUNT WINDOW at-once|coalesced
//   StreamPeer consume URL COUNT WINDOW at-once|coalesced
//
// It prints the messages a second, and the microseconds of this process's processor time for a message.
#include <stdio.h>

#ifdef JetStream

#include <nats/nats.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void check(natsStatus status, const char *what) {
  if (status == NATS_OK) return;
  fprintf(stderr, "StreamPeer: %s: %s\n", what, natsStatus_GetText(status));
  exit(1);
}

static double processorSeconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// The library's asynchronous publish, with ids.
static void publish(jsCtx *context, int count) {
  char payload[128], id[32];
  memset(payload, 'x', sizeof payload);
  for (int number = 0; number < count; number++) {
    jsPubOptions options;
    jsPubOptions_Init(&options);
    snprintf(id, sizeof id, "%d", number);
    options.MsgId = id;
    check(js_PublishAsync(context, "s.x", payload, sizeof payload, &options), "publish");
  }
  check(js_PublishAsyncComplete(context, NULL), "the acknowledgements");
}

// Its pull subscription, with an acknowledgement for each message.
static void consume(jsCtx *context, int count, int window) {
  natsSubscription *subscription = NULL;
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = "S";
  options.Consumer = "c";
  check(js_PullSubscribe(&subscription, context, "s.>", "c", NULL, &options, NULL), "subscribe");
  for (int left = count; left > 0;) {
    natsMsgList list;
    check(natsSubscription_Fetch(&list, subscription, window < left ? window : left, 10000, NULL), "fetch");
    for (int index = 0; index < list.Count; index++) check(natsMsg_Ack(list.Msgs[index], NULL), "acknowledge");
    left -= list.Count;
    natsMsgList_Destroy(&list);
  }
  natsSubscription_Destroy(subscription);
}

int main(int argumentCount, char **arguments) {
  if (argumentCount != 6) return 2;
  int count = atoi(arguments[3]), window = atoi(arguments[4]);
  natsOptions *options = NULL;
  natsConnection *connection = NULL;
  jsCtx *context = NULL;
  check(natsOptions_Create(&options), "options");
  check(natsOptions_SetURL(options, arguments[2]), "url");
  check(natsOptions_SetSendAsap(options, strcmp(arguments[5], "at-once") == 0), "writes");
  check(natsConnection_Connect(&connection, options), "connect");
  jsOptions jetStreamOptions;
  jsOptions_Init(&jetStreamOptions);
  jetStreamOptions.PublishAsync.MaxPending = window;
  check(natsConnection_JetStream(&context, connection, &jetStreamOptions), "context");
  double processor = processorSeconds();
  int64_t start = nats_NowInNanoSeconds();
  if (strcmp(arguments[1], "publish") == 0) publish(context, count);
  else consume(context, count, window);
  check(natsConnection_Flush(connection), "flush");
  double seconds = (nats_NowInNanoSeconds() - start) / 1e9;
  printf("%.0f %.2f\n", count / seconds, (processorSeconds() - processor) / count * 1e6);
  jsCtx_Destroy(context);
  natsConnection_Destroy(connection);
  natsOptions_Destroy(options);
  nats_Close();
  return 0;
}

#else

int main(void) {
  puts("enable the trait JetStream: swift run --traits JetStream StreamPeer");
  return 2;
}

#endif
